/** What can be configured of connections. */
export interface ConnectionSettings {
  /** The address of MCP, for which all tokens are: https, or on this machine. */
  readonly resource: string;
  /** How long an access token is good for. Larger: a leaked one works longer. */
  readonly accessTokenSeconds: number;
  /** How long a program may be silent before a person has to connect it again. */
  readonly refreshTokenSeconds: number;
}
