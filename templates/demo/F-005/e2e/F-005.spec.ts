import { expect, test } from '@playwright/test';

test('a card can be deleted, after the board has asked whether it is meant', async ({ page }) => {
  const next = page.getByRole('region', { name: 'Next', exact: true });
  const card = next.getByRole('listitem').filter({ hasText: 'Ask Ida for the gate key' });
  const remove = page.getByRole('button', { name: 'Delete Ask Ida for the gate key' });
  const asked: string[] = [];
  let answer = false;
  page.on('dialog', async dialog => {
    asked.push(dialog.message());
    await (answer ? dialog.accept() : dialog.dismiss());
  });

  await test.step('Open the board: "Ask Ida for the gate key" is a card of the column Next', async () => {
    await page.goto('/');
    await expect(card).toBeVisible();
  });

  await test.step('Press "Delete Ask Ida for the gate key" and answer the question with no: the card is still there', async () => {
    await remove.click();
    expect(asked).toEqual(['Delete “Ask Ida for the gate key” for good?']);
    await expect(card).toBeVisible();
  });

  await test.step('Press it again and answer with yes: the column Next has 2 cards, and it is none of them', async () => {
    answer = true;
    await remove.click();
    await expect(next.getByRole('listitem')).toHaveCount(2);
    await expect(card).toHaveCount(0);
  });

  await test.step('Reload the page: there are still 2 cards', async () => {
    await page.reload();
    await expect(next.getByRole('listitem')).toHaveCount(2);
  });
});
