import { expect, test } from '@playwright/test';

test('cards can be found by a word, whatever its case', async ({ page }) => {
  const search = page.getByRole('searchbox', { name: 'Search cards' });
  const card = (title: string) => page.getByRole('listitem').filter({ hasText: title });

  await test.step('Open the board', async () => {
    await page.goto('/');
    await expect(card('Turn the compost')).toBeVisible();
  });

  await test.step('Type "WATER" into the field "Search cards"', async () => {
    await search.fill('WATER');
  });

  await test.step('"Mend the water butt" and "Water the seedlings" are shown, "Turn the compost" is not', async () => {
    await expect(card('Turn the compost')).toHaveCount(0);
    await expect(card('Mend the water butt')).toBeVisible();
    await expect(card('Water the seedlings')).toBeVisible();
  });

  await test.step('The page says "2 cards found"', async () => {
    await expect(page.getByText('2 cards found')).toBeVisible();
  });

  await test.step('Empty the field: "Turn the compost" is shown again', async () => {
    await search.fill('');
    await expect(card('Turn the compost')).toBeVisible();
  });
});
