import { expect, test } from '@playwright/test';

test('on a telephone the columns stand below each other and nothing is cut off', async ({ page }) => {
  const columns = page.getByRole('region');

  await test.step('Open the board on a telephone, 400 pixels wide', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await page.goto('/');
  });

  await test.step('No column is cut off at the side', async () => {
    for (const column of await columns.all()) {
      const box = await column.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(400);
    }
  });

  await test.step('The columns stand below each other, each where the one before it ends', async () => {
    let end = 0;
    for (const column of await columns.all()) {
      const box = await column.boundingBox();
      expect(box?.y).toBeGreaterThan(end);
      end = (box?.y ?? 0) + (box?.height ?? 0);
    }
  });
});
