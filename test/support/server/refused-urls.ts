/** URLs that customers must not be able to make the service request, each with what they are told. */
export const refusedUrls: readonly (readonly [url: string, problem: string])[] = [
  // Not a URL, or none for requests.
  ['', 'the URL is not valid'],
  ['example.com', 'the URL is not valid'],
  ['https://', 'the URL is not valid'],
  ['https://[::1', 'the URL is not valid'],
  ['https://[fe80::1%25eth0]/', 'the URL is not valid'],
  ['https://[fe80::1%eth0]/', 'the URL is not valid'],
  ['https://256.1.1.1/', 'the URL is not valid'],
  ['https://example.com:65536/', 'the URL is not valid'],
  [`https://example.com/${'a'.repeat(2_030)}`, 'the URL is longer than 2048 characters'],
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,a',
  ].map((url) => [url, 'the URL must begin with https://'] as const),
  ...['javascript:alert(1)', 'unix:///var/run/docker.sock', 'ws://example.com/', 'blob:https://example.com/a'].map(
    (url) => [url, 'the URL must begin with https://'] as const,
  ),
  ...['https://user@example.com/', 'https://user:secret@example.com/', 'https://:secret@example.com/'].map(
    (url) => [url, 'the URL must not contain a user or password'] as const,
  ),
  ['https://example.com@127.0.0.1/', 'the URL must not contain a user or password'],
  ...[1, 21, 22, 25, 53, 80, 111, 442, 444, 445, 993, 1023].map(
    (port) => [`https://example.com:${port}/`, `port ${port} is not allowed: use 443, or 1024 or higher`] as const,
  ),
  ['https://example.com:0/', 'port 0 is not allowed: use 443, or 1024 or higher'],
  // One address, in every spelling that a URL may have.
  ...[
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7F.1/',
    'https://0177.0.0.01/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.0.0.1/',
    'https://１２７。０。０。１/',
    'HTTPS:\\\\127.0.0.1\\',
    'https:127.0.0.1',
    ' https://127.0.0.1/ ',
    'https://127.0.\t0.1/',
  ].map((url) => [url, '127.0.0.1 is not a public address'] as const),
  // Networks; runtime/outbound/address-check.test.ts asks about the edges of all.
  ...['0.0.0.0', '10.0.0.0', '100.100.100.200', '168.63.129.16', '169.254.169.254', '192.168.255.255', '224.0.0.1'].map(
    (address) => [`https://${address}/`, `${address} is not a public address`] as const,
  ),
  ...[
    ['::1', '::1'],
    ['0000::0001', '::1'],
    ['::127.0.0.1', '::7f00:1'], // IPv4-compatible, which is long given up.
    ['::ffff:127.0.0.1', '::ffff:7f00:1'], // IPv4-mapped.
    ['::FFFF:A9FE:A9FE', '::ffff:a9fe:a9fe'],
    ['::ffff:0:8.8.8.8', '::ffff:0:808:808'], // IPv4-translated.
    ['64:ff9b::10.0.0.7', '64:ff9b::a00:7'], // NAT64.
    ['2002:7f00:1::', '2002:7f00:1::'], // 6to4.
    ['4000::1', '4000::1'], // Nobody's yet.
    ['fd00:ec2::254', 'fd00:ec2::254'],
    ['fe80::1', 'fe80::1'],
  ].map(([written, told]) => [`https://[${written}]/`, `${told} is not a public address`] as const),
  // Names of one's own machine and network.
  ['https://localhost/', 'localhost is not a public name'],
  ['https://LOCALHOST:8443/', 'localhost is not a public name'],
  ['https://localhost./', 'localhost. is not a public name'],
  ['https://localhost../', 'localhost.. is not a public name'],
  ['https://api.localhost/', 'api.localhost is not a public name'],
  ['https://api.localhost./', 'api.localhost. is not a public name'],
  ['https://ｌocalhost/', 'localhost is not a public name'],
  ['https://intranet/', 'intranet is not a public name'],
];
