import { expect, test } from 'vitest';
import { useConsole } from '../../support/console/use-console.ts';
import { codeIn, openProgram, registerWith } from '../../support/mcp/oauth-program.ts';

const console = useConsole();

test('while the control database does not do its work programs are told to wait, and keep what they have', async () => {
  const { org, visitor, program } = await openProgram(console);
  const tokens = await program.connect(visitor, org);
  const code = codeIn(await program.askUser(visitor, { organization: org }));
  const { schema } = console.database.kysely;
  await schema.alterTable('oauth_clients').renameTo('out_of_order').execute();
  const answers = [
    await visitor.get(program.authorizeUrl()),
    await program.exchange(code),
    await program.refresh(tokens.refresh_token),
    await program.revoke(tokens.access_token),
    await registerWith(console, { redirect_uris: [program.redirect] }),
  ];
  await schema.alterTable('out_of_order').renameTo('oauth_clients').execute();
  const told = {
    error: 'temporarily_unavailable',
    error_description: 'The service can not read or write what it needs just now; try again in a moment',
  };
  expect(answers.map((answer) => [answer.statusCode, answer.headers['cache-control'], answer.json()])).toEqual(
    answers.map(() => [503, 'no-store', told]),
  );
  expect((await program.refresh(tokens.refresh_token)).statusCode).toBe(200);
});

test('a person whose answer can not be kept is told so, and can answer again', async () => {
  const { org, visitor, program } = await openProgram(console);
  const { schema } = console.database.kysely;
  await schema.alterTable('connections').renameTo('out_of_order').execute();
  await expect(program.askUser(visitor, { organization: org })).rejects.toThrow(/^not sent away: 503/);
  await schema.alterTable('out_of_order').renameTo('connections').execute();
  expect((await program.connect(visitor, org)).token_type).toBe('Bearer');
});
