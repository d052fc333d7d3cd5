import { afterAll, beforeAll } from 'vitest';
import { describeOnMinio } from '../storage/testing/minio.ts';
import { describeKills } from './crash/kills.contract.ts';
import { S3Server } from './s3-target.ts';

describeOnMinio('nights', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server?.stop());

  describeKills(async (folder) => server.target(folder));
});
