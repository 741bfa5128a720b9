import { expect, test } from '@playwright/test';

test('a card can be moved to the next column and stays there', async ({ page }) => {
  const next = page.getByRole('region', { name: 'Next', exact: true });
  const inHand = page.getByRole('region', { name: 'In hand', exact: true });
  const card = { hasText: 'Mend the water butt' };

  await test.step('Open the board: "Mend the water butt" is a card of the column Next', async () => {
    await page.goto('/');
    await expect(next.getByRole('listitem').filter(card)).toBeVisible();
  });

  await test.step('Press the button "Move Mend the water butt to In hand"', async () => {
    await page.getByRole('button', { name: 'Move Mend the water butt to In hand' }).click();
  });

  await test.step('"Mend the water butt" is in the column In hand and no longer in Next', async () => {
    await expect(inHand.getByRole('listitem').filter(card)).toBeVisible();
    await expect(next.getByRole('listitem').filter(card)).toHaveCount(0);
  });

  await test.step('Reload the page: "Mend the water butt" is still in the column In hand', async () => {
    await page.reload();
    await expect(inHand.getByRole('listitem').filter(card)).toBeVisible();
  });
});
