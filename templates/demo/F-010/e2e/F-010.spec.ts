import { expect, test } from '@playwright/test';

test('the board can be shown dark and stays so after a reload', async ({ page }) => {
  const paper = page.locator('html');

  await test.step('Open the board: the page is light', async () => {
    await page.goto('/');
    await expect(paper).toHaveCSS('background-color', 'rgb(246, 241, 228)');
  });

  await test.step('Press the button "Dark": the page is dark', async () => {
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    await expect(paper).toHaveCSS('background-color', 'rgb(20, 29, 24)');
  });

  await test.step('Reload the page: it is still dark, and the button now says "Light"', async () => {
    await page.reload();
    await expect(paper).toHaveCSS('background-color', 'rgb(20, 29, 24)');
    await expect(page.getByRole('button', { name: 'Light', exact: true })).toBeVisible();
  });
});
