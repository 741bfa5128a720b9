import { expect, test } from '@playwright/test';

test('the cards that are overdue can be shown alone', async ({ page }) => {
  const card = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  const button = page.getByRole('button', { name: 'Overdue only' });

  await test.step('Open the board', async () => {
    await page.goto('/');
    await expect(card('Turn the compost')).toBeVisible();
  });

  await test.step('Give "Turn the compost" the day 2020-03-01', async () => {
    await page.getByLabel('Day for Turn the compost').fill('2020-03-01');
    await expect(card('Turn the compost')).toContainText('Overdue since 1 Mar 2020');
  });

  await test.step('Press "Overdue only": "Turn the compost" is shown, "Mend the water butt" is not', async () => {
    await button.click();
    await expect(card('Mend the water butt')).toHaveCount(0);
    await expect(card('Turn the compost')).toBeVisible();
  });

  await test.step('Press it again: "Mend the water butt" is shown again', async () => {
    await button.click();
    await expect(card('Mend the water butt')).toBeVisible();
  });
});
