#!/usr/bin/env node
import { Command } from 'commander';

const program = new Command('malaria-risk').description(
  'Turns raw surveys, rasters and boundaries into a snapshot: the prebuilt answers of twelve API operations.',
);

await program.parseAsync();
