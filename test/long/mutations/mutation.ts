/** Something done to a raw file that leaves it readable, more often than not. */
export interface Mutation {
  /** Id in the real country's catalog. */
  source: string;
  name: string;
  /** Of several files, the one whose name ends so. */
  file?: string;
  /** What was accepted before, where it is not the file as it is: of a month or a round that comes in wrong. */
  before?(bytes: Buffer, name: string): Buffer;
  change(bytes: Buffer, name: string): Buffer | Promise<Buffer>;
}
