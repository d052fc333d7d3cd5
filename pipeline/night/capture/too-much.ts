/** More came out of a source than its limits allow; the message says what, for whoever knows where from. */
export class TooMuch extends Error {}
