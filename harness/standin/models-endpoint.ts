// GET /v1/models and /v1/models/{id}.

import { apiError } from './api-error.js';
import { type Accepts, keyProblem } from './check-request.js';
import { modelInfo, type StandinModel } from './models.js';
import { json, type Outcome, type Received, refusal } from './outcome.js';

export function answerModels(received: Received, models: readonly StandinModel[], accepts: Accepts): Outcome {
  const wrongKey = keyProblem(received.headers, accepts);
  if (wrongKey !== undefined) return refusal(received, wrongKey);
  const id = received.path.split('/')[3];
  if (id === undefined) {
    const data = models.map(modelInfo);
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return json(200, { data, has_more: false, ...ends });
  }
  const model = models.find(each => each.id === decodeURIComponent(id));
  if (model === undefined) return refusal(received, apiError('not_found_error', `model: ${id}`));
  return json(200, modelInfo(model));
}
