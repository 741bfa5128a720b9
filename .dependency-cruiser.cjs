// The order of the areas, lowest first. An area imports only from itself and from areas before it.
const AREAS = [
  'base',
  'config',
  'journal',
  'features',
  'model',
  'workspace',
  'browser',
  'verify',
  'context',
  'tools',
  'mcp',
  'session',
  'runner',
  'pager',
  'watch',
  'audit',
  'standin',
  'commands',
];

/** Everything an area may not import: the areas above it. */
const upward = AREAS.slice(0, -1).map((area, floor) => ({
  name: `${area}-imports-only-downwards`,
  comment: `harness/${area} may import from: ${AREAS.slice(0, floor + 1).join(', ')}`,
  severity: 'error',
  from: { path: `^harness/${area}/` },
  to: { path: `^harness/(main\\.ts|(${AREAS.slice(floor + 1).join('|')})/)` },
}));

module.exports = {
  forbidden: [
    ...upward,
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'known-areas-only',
      severity: 'error',
      from: {},
      to: { path: '^harness/', pathNot: `^harness/(main\\.ts$|(${AREAS.join('|')})/)` },
    },
    {
      name: 'watch-never-imports-the-runner',
      severity: 'error',
      from: { path: '^harness/watch/' },
      to: { path: '^harness/runner/' },
    },
    {
      name: 'audit-stands-alone',
      severity: 'error',
      from: { path: '^harness/audit/' },
      to: { path: '^harness/', pathNot: '^harness/(audit|base|journal)/' },
    },
    {
      name: 'the-stand-in-knows-no-harness',
      severity: 'error',
      from: { path: '^harness/standin/' },
      to: { path: '^harness/', pathNot: '^harness/(standin|base)/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
