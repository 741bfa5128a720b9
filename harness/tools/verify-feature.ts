// verify_feature: has the harness prove the session's feature, and on green commits the flip.

import { normalizeNotes, notesProblem } from '../context/notes.js';
import type { Feature } from '../features/feature-list.js';
import type { VerifyDeps } from '../verify/verification.js';
import { verifyFeature } from '../verify/verify-feature.js';
import { commitPlan } from '../workspace/commit.js';
import type { KnownInit } from '../workspace/init-guard.js';
import type { CanonicalList } from '../workspace/list-guard.js';
import type { PortBlock } from '../workspace/room.js';
import type { Tool, ToolFace, ToolResult } from './tool.js';

/** What the tool needs of its session; null in a session without a feature. */
export interface VerifyOperations {
  deps: VerifyDeps;
  session: number;
  feature: Feature;
  canonical: CanonicalList;
  init: KnownInit;
  ports: PortBlock;
  /** See `VerifyRequest`. */
  atRisk: readonly Feature[];
  /** Stops the session's own app, so that its port is free; the verification starts its own. */
  beforeStart(): Promise<void>;
  /** Starts the session's app again after a verdict that is not green. Returns a sentence for the model, or null. */
  afterVerdict(): Promise<string | null>;
}

interface Input {
  id: string;
  commitMessage: string;
  progress: string;
}

/** A later call of the same session may leave out what stays the same: after a red verdict both usually do. */
type Given = Pick<Input, 'id'> & Partial<Input>;

/** A subject line that git tools show whole. */
const LONGEST_SUBJECT = 100;

export function verifyFeatureFace(description: string): ToolFace {
  return {
    name: 'verify_feature',
    description,
    schema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'For example F-017.' },
        commitMessage: {
          type: 'string',
          description:
            "Subject (at most 100 characters): what changed for the app's user; optionally a blank line and why.",
        },
        progress: { type: 'string', description: 'New claude-progress.txt.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
  };
}

export function verifyFeatureTool({
  description,
  operations,
}: {
  description: string;
  operations: VerifyOperations | null;
}): Tool {
  let last: Partial<Input> = {};
  return {
    ...verifyFeatureFace(description),
    access: () => 'write',
    async run(input, signal) {
      if (!operations) {
        return failed(
          'There is no feature to verify in an initializer session. When the project is prepared, call finish_session with outcome done.',
        );
      }
      const { id, commitMessage = '', progress = '' } = { ...last, ...(input as Given) };
      const problem = inputProblem({ id, commitMessage, progress }, operations.feature);
      if (problem !== null) return failed(problem);
      last = { commitMessage, progress };
      return verifyAndCommit(operations, { id, commitMessage, progress }, signal);
    },
  };
}

async function verifyAndCommit(
  operations: VerifyOperations,
  input: Input,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { deps, session, feature, canonical, init, ports, atRisk, beforeStart } = operations;
  const outcome = await verifyFeature(deps, {
    session,
    feature,
    canonical,
    init,
    ports,
    atRisk,
    beforeStart,
    signal,
    commitMessage: input.commitMessage,
    progress: normalizeNotes(input.progress),
  });
  if ('refused' in outcome) return failed(outcome.refused);
  if (outcome.flip === null) {
    const more = outcome.cameUp && !signal.aborted ? await operations.afterVerdict() : null;
    return failed(`${feature.id} is not verified. ${outcome.report}`, more);
  }
  const committed = await commitPlan(deps, outcome.flip, { kind: 'flip', feature: feature.id }, session);
  if (!committed.done) {
    return failed(
      `The spec was green, but HEAD moved to ${committed.head.slice(0, 7)} meanwhile, so the verdict is void and nothing was committed. Stop what commits in the background, then call verify_feature again.`,
      await operations.afterVerdict(),
    );
  }
  return {
    text: `${feature.id} is verified and committed as ${committed.commit.slice(0, 7)}. The session is over.`,
    end: { kind: 'feature_verified', feature: feature.id },
  };
}

function inputProblem({ id, commitMessage, progress }: Input, feature: Feature): string | null {
  if (id !== feature.id) {
    return `This session is for ${feature.id}, not ${id}; only ${feature.id} can be verified in it. Call verify_feature with id ${feature.id}.`;
  }
  const subject = commitMessage.trim().split('\n', 1)[0] ?? '';
  if (subject === '')
    return 'commitMessage is missing. Say in one line what changed for the user of the app; later calls may leave it out.';
  if (subject.length > LONGEST_SUBJECT) {
    return `The first line of commitMessage has ${subject.length} characters; at most ${LONGEST_SUBJECT} fit. Put the rest after a blank line.`;
  }
  return notesProblem(progress);
}

function failed(text: string, more: string | null = null): ToolResult {
  return { text: more === null ? text : `${text}\n\n${more}`, isError: true };
}
