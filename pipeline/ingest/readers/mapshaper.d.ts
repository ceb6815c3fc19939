declare module 'mapshaper' {
  const mapshaper: {
    /** Runs a command line on files in memory, by name; resolves to the files that `-o` writes. */
    applyCommands(
      commands: string,
      input: Record<string, Uint8Array | string | object>,
    ): Promise<Record<string, Buffer>>;
  };
  export default mapshaper;
}
