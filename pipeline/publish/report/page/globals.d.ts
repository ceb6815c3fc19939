/** The libraries that the page contains before its own script. */
declare const d3: typeof import('d3');
declare const Plot: typeof import('@observablehq/plot');
