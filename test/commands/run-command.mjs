// Runs one command of the built package: node run-command.mjs NAME JSON-OF-ITS-REQUEST

const [name, request] = process.argv.slice(2);
const command = (await import(`../../dist/commands/${name}.js`))[`${name}Command`];
try {
  process.exitCode = await command(JSON.parse(request));
} catch (error) {
  process.stderr.write(`longhaul: ${error.message}\n`);
  process.exitCode = error.exitCode ?? 1;
}
