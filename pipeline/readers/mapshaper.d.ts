/** mapshaper comes without types; this is the one function of it that is used. */
declare module 'mapshaper' {
  const mapshaper: {
    /** Runs a command line over files given and returned in memory. */
    applyCommands(
      commands: string,
      files: Record<string, string | Uint8Array>,
    ): Promise<Record<string, string | Uint8Array>>;
  };
  export default mapshaper;
}
