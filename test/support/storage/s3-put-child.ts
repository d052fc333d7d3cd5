import { s3AddressFrom } from '../../../storage/s3/client.ts';
import { S3Store } from '../../../storage/s3/s3-store.ts';
import { Minio } from '../processes/minio.ts';

/** A process of its own that uploads files, and tells how much memory that took. Words are endpoint, address, files. */
const [endpoint = '', address = '', ...paths] = process.argv.slice(2);
const store = new S3Store(s3AddressFrom(address), { endpoint, credentials: Minio.CREDENTIALS });

const before = process.resourceUsage().maxRSS;
await Promise.all(paths.map((path, index) => store.putFile(`files/${index}`, path)));
process.stdout.write(JSON.stringify({ before, after: process.resourceUsage().maxRSS }));
