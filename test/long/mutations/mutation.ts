/** A corruption of a raw file that usually leaves it readable. */
export interface Mutation {
  /** Id of the source in the real country's catalog. */
  source: string;
  name: string;
  /** If the source has several files, the ending of the file's name. */
  file?: string;
  /** The file as accepted before, if it is not the real file: without the month or round that arrives corrupted. */
  before?(bytes: Buffer, name: string): Buffer;
  change(bytes: Buffer, name: string): Buffer | Promise<Buffer>;
}
