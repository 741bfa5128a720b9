// The script that plays the model in the demo: it builds a board of ten features, and not all goes well at first.

import { DEMO_FEATURE_IDS, isDemoFeature } from './demo/content.js';
import { FEATURES } from './demo/features.js';
import { INITIALIZER } from './demo/initializer.js';
import { playMove } from './demo/moves.js';
import type { Scenario } from './scenario.js';
import { scripted } from './scripted.js';

/** Decides by the brief and the conversation alone, so sessions may be killed and started again at any point. */
export function demoScenario(): Scenario {
  return scripted('demo', ask => {
    const { feature } = ask;
    if (feature === null) return playMove(INITIALIZER, ask, 'initializer');
    if (isDemoFeature(feature)) return playMove(FEATURES[feature], ask, feature);
    throw new Error(`the brief names the feature ${feature}; the demo knows ${DEMO_FEATURE_IDS.join(', ')}`);
  });
}
