import { expect, test } from '@playwright/test';

test('a card can be added to a column and is still there after a reload', async ({ page }) => {
  const next = page.getByRole('region', { name: 'Next', exact: true });
  const field = page.getByRole('textbox', { name: 'New card in Next' });

  await test.step('Open the board', async () => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'The garden board' })).toBeVisible();
  });

  await test.step('Type "Sow broad beans" into the field "New card in Next" and press Enter', async () => {
    await field.fill('Sow broad beans');
    await field.press('Enter');
  });

  await test.step('"Sow broad beans" is the last card of the column Next, and the field is empty again', async () => {
    await expect(next.getByRole('listitem').last()).toContainText('Sow broad beans');
    await expect(field).toHaveValue('');
  });

  await test.step('Reload the page: "Sow broad beans" is still the last card of the column Next', async () => {
    await page.reload();
    await expect(next.getByRole('listitem').last()).toContainText('Sow broad beans');
  });
});
