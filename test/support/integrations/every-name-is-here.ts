/** Loaded before a program of a test: for it every name leads to this machine, as if customers' sites were here. */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

// The guard asks for all addresses, in this form.
Object.assign(dns, { lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
syncBuiltinESMExports();
