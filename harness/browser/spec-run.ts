// What running Playwright specs gives, as data.

/** What one run of the runner showed. */
export interface SpecRun {
  /**
   * `green`: there was a test, and every test was run once and passed. `red`: a test ran and failed. `broken`: neither;
   * `problems` says why and what would work.
   */
  verdict: 'green' | 'red' | 'broken';
  /**
   * Whose matter a broken run is. `spec`: the author must mend the spec. `time`: it was not over in time. `runner`: the
   * browser or the runner failed. `interrupted`: the signal came. Null unless broken.
   */
  fault: 'spec' | 'time' | 'runner' | 'interrupted' | null;
  tests: SpecTest[];
  /** Sentences for the model with place and remedy. May be there for a red run too; empty for a green one. */
  problems: string[];
  /** Wall time of the runner. */
  ms: number;
  /** Of the test that tells most: the first that failed, else the last. */
  artifacts: SpecArtifacts;
}

export interface SpecTest {
  title: string;
  /** `e2e/F-001.spec.ts`. */
  file: string;
  line: number;
  /** `void`: skipped, meant to fail, tried again or interrupted. It proves nothing; `problems` of the run says why. */
  status: 'passed' | 'failed' | 'timedOut' | 'void';
  durationMs: number;
  /** The `test.step`s of the test itself that were reached; those inside other steps and hooks are not listed. */
  steps: SpecStep[];
  error?: SpecError;
  page: PageFacts;
  attachments: { name: string; path: string }[];
}

export interface SpecStep {
  title: string;
  /** `interrupted`: the test ended inside of it. */
  status: 'passed' | 'failed' | 'interrupted';
  durationMs: number;
  error?: string;
}

export interface SpecError {
  /** Without colours, stack and paths of the work folder. */
  message: string;
  /** Title of the failing step. */
  step?: string;
  /** `e2e/F-002.spec.ts:14`. */
  location?: string;
  /** Lines of the spec around the place. */
  snippet?: string;
  locator?: string;
  expected?: string;
  received?: string;
}

/** What the trace tells of the pages of a test. Each list is bounded, and so is each entry. */
export interface PageFacts {
  /** `error: text`, `log: text`. */
  console: string[];
  /** Exceptions that nobody caught. */
  pageErrors: string[];
  /** `GET /missing: 404 Not Found`. */
  failedRequests: string[];
  /** `alert "Saved"`. */
  dialogs: string[];
  /** The page as an outline of roles and names when the test failed, or at its end. */
  text?: string;
  /** Before anything failed, a navigation of the spec brought a page of the app with a status below 500. */
  navigated: boolean;
  /** What failed: an `expect`, an action through a locator, a navigation, something else; null when nothing did. */
  failed: 'expect' | 'locator' | 'navigation' | 'other' | null;
}

export interface SpecArtifacts {
  tracePath?: string;
  screenshotPath?: string;
  errorContextPath?: string;
  /** Console, exceptions, dialogs and failed requests, one a line. */
  consoleText: string;
}

/** The test that tells most about a run. */
export function tellingTest(tests: readonly SpecTest[]): SpecTest | undefined {
  return tests.find(hasFailed) ?? tests.at(-1);
}

export function hasFailed({ status }: SpecTest): boolean {
  return status === 'failed' || status === 'timedOut';
}
