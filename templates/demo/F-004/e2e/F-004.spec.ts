import { expect, test } from '@playwright/test';

test('each column says how many cards it has, and what to do when it has none', async ({ page }) => {
  const inHand = page.getByRole('region', { name: 'In hand', exact: true });
  const done = page.getByRole('region', { name: 'Done', exact: true });

  await test.step('Open the board: the column In hand says "2 cards"', async () => {
    await page.goto('/');
    await expect(inHand.getByText('2 cards')).toBeVisible();
  });

  await test.step('Move "Turn the compost" and "Water the seedlings" to Done', async () => {
    await page.getByRole('button', { name: 'Move Turn the compost to Done' }).click();
    await page.getByRole('button', { name: 'Move Water the seedlings to Done' }).click();
  });

  await test.step('The column Done says "4 cards", the column In hand "No cards"', async () => {
    await expect(done.getByText('4 cards')).toBeVisible();
    await expect(inHand.getByText('No cards')).toBeVisible();
  });

  await test.step('In hand says "Nothing in hand. Move a card here when you begin it."', async () => {
    await expect(inHand.getByText('Nothing in hand. Move a card here when you begin it.')).toBeVisible();
  });
});
