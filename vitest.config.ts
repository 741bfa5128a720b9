import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/fixtures/**'],
    // Hang guards, not goals: real processes, git and a browser run in these tests, on two shared cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    // No test may reach a real endpoint by a key or address of the person who runs it.
    env: { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  },
});
