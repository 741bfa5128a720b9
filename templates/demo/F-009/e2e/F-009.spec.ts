import { expect, test } from '@playwright/test';

test('cards can be reached and moved with the keyboard alone', async ({ page }) => {
  const card = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  const inHand = page.getByRole('region', { name: 'In hand', exact: true });

  await test.step('Open the board and press Tab: the link "Go to the cards" has the focus', async () => {
    await page.goto('/');
    await expect(card('Mend the water butt')).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Go to the cards' })).toBeFocused();
  });

  await test.step('Press Enter: the card "Mend the water butt" has the focus', async () => {
    await page.keyboard.press('Enter');
    await expect(card('Mend the water butt')).toBeFocused();
  });

  await test.step('Press the arrow down: the card "Order seed potatoes" has the focus', async () => {
    await page.keyboard.press('ArrowDown');
    await expect(card('Order seed potatoes')).toBeFocused();
  });

  await test.step('Press M: the card is in the column In hand and still has the focus', async () => {
    await page.keyboard.press('m');
    await expect(inHand.getByRole('listitem').filter({ hasText: 'Order seed potatoes' })).toBeFocused();
  });
});
