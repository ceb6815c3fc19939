/** The libraries that the page carries before its own script. */
declare const d3: typeof import('d3');
declare const Plot: typeof import('@observablehq/plot');
