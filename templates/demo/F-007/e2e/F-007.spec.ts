import { expect, test } from '@playwright/test';

test('a card can be given a day and is marked when the day is past', async ({ page }) => {
  const card = (title: string) => page.getByRole('listitem').filter({ hasText: title });

  await test.step('Open the board on 10 May 2030', async () => {
    await page.clock.setFixedTime(new Date('2030-05-10T09:00:00'));
    await page.goto('/');
    await expect(card('Mend the water butt')).toContainText('Set a day');
  });

  await test.step('Give "Mend the water butt" the day 2030-05-09: the card says "Overdue since 9 May"', async () => {
    await page.getByLabel('Day for Mend the water butt').fill('2030-05-09');
    await expect(card('Mend the water butt')).toContainText('Overdue since 9 May');
  });

  await test.step('Give "Turn the compost" the day 2030-05-12: the card says "Due 12 May"', async () => {
    await page.getByLabel('Day for Turn the compost').fill('2030-05-12');
    await expect(card('Turn the compost')).toContainText('Due 12 May');
  });

  await test.step('Reload the page: "Mend the water butt" still says "Overdue since 9 May"', async () => {
    await page.reload();
    await expect(card('Mend the water butt')).toContainText('Overdue since 9 May');
  });
});
