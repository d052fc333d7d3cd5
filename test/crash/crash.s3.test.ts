import { afterAll, beforeAll, describe } from 'vitest';
import { describeOnMinio } from '../support/processes/minio.ts';
import { S3Server } from '../support/processes/s3-target.ts';
import { describeKills } from './kills.contract.ts';

describe('on an S3 server', () => {
  describeOnMinio('nights', () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await S3Server.start();
    });
    afterAll(() => server?.stop());

    describeKills(async (folder) => server.target(folder));
  });
});
