// A picture of a page that is small enough for every request: at most 1280 x 2000 pixels and 3.5 MB.

import type { Page } from 'playwright';
import { asNumber, asRecord } from './loose-json.js';

export interface Picture {
  /** PNG, base64. */
  png: string;
  width: number;
  height: number;
  /** What of the page it shows, and how. */
  about: string;
}

/** In CSS pixels. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const MOST_WIDTH = 1280;
export const MOST_HEIGHT = 2000;
/** Base64 of it stays below the 5 MB that a request takes for a picture. */
const MOST_BYTES = 3_500_000;
/** A picture that was made smaller than this cannot be read: what does not fit is cut off instead. */
const LEAST_SCALE = 0.5;

/** `what`: the part in view, the whole page, or a place, seen from the corner of what is in view. */
export async function takePicture(page: Page, what: 'view' | 'page' | Region): Promise<Picture> {
  const cdp = await page.context().newCDPSession(page);
  try {
    const metrics = asRecord(await cdp.send('Page.getLayoutMetrics'));
    const whole = regionOf(metrics.cssContentSize);
    const view = regionOf(metrics.cssVisualViewport);
    const wanted = what === 'page' ? whole : what === 'view' ? view : moved(what, view);
    const { region, scale } = fitRegion(wanted);
    for (let factor = 1; ; factor /= 2) {
      const { data } = await cdp.send('Page.captureScreenshot', {
        format: 'png',
        captureBeyondViewport: what !== 'view',
        clip: { ...region, scale: scale * factor },
      });
      const bytes = Buffer.from(data, 'base64');
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
      if (bytes.length > MOST_BYTES || width > MOST_WIDTH || height > MOST_HEIGHT) continue;
      const shown = { wanted, region, whole, scale: scale * factor };
      return { png: data, width, height, about: describe(what, shown) };
    }
  } finally {
    await cdp.detach().catch(() => {}); // The page may have been closed meanwhile.
  }
}

/** What of a region is shown and how much smaller. */
export function fitRegion(wanted: Region): { region: Region; scale: number } {
  const region = {
    x: Math.floor(wanted.x),
    y: Math.floor(wanted.y),
    width: Math.max(Math.min(Math.ceil(wanted.width), MOST_WIDTH / LEAST_SCALE), 1),
    height: Math.max(Math.min(Math.ceil(wanted.height), MOST_HEIGHT / LEAST_SCALE), 1),
  };
  return { region, scale: Math.min(1, MOST_WIDTH / region.width, MOST_HEIGHT / region.height) };
}

function moved(region: Region, by: Region): Region {
  return { ...region, x: region.x + by.x, y: region.y + by.y };
}

function regionOf(value: unknown): Region {
  const { x, y, pageX, pageY, width, height, clientWidth, clientHeight } = asRecord(value);
  return {
    x: asNumber(x) + asNumber(pageX),
    y: asNumber(y) + asNumber(pageY),
    width: asNumber(width) + asNumber(clientWidth),
    height: asNumber(height) + asNumber(clientHeight),
  };
}

function describe(
  what: 'view' | 'page' | Region,
  { wanted, region, whole, scale }: { wanted: Region; region: Region; whole: Region; scale: number },
): string {
  const size = (of: Region) => `${Math.ceil(of.width)} x ${Math.ceil(of.height)} px`;
  const subject = what === 'view' ? 'the part in view' : what === 'page' ? 'the whole page' : 'the element';
  const cut = region.width < Math.floor(wanted.width) || region.height < Math.floor(wanted.height);
  return [
    `${subject}, ${size(wanted)}`,
    ...(cut ? [`cut to its first ${size(region)}`] : []),
    ...(scale < 1 ? [`at ${Math.round(scale * 100)} % of its size`] : []),
    ...(what === 'view' && (whole.height > wanted.height || whole.width > wanted.width)
      ? [`of a page of ${size(whole)}`]
      : []),
  ].join(', ');
}
