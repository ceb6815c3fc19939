declare module 'mapshaper' {
  type Files = Record<string, Buffer | string | object>;
  const mapshaper: {
    /** Runs a command line on files in memory; answers with the files it would have written. */
    applyCommands(commands: string, input: Files): Promise<Record<string, Buffer>>;
  };
  export default mapshaper;
}
