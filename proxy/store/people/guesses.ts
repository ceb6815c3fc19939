/**
 * Runs in a worker: zxcvbn's dictionaries take 70 MB and 0.4 s to load, and a long password takes a second to check.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as en from '@zxcvbn-ts/language-en';

const dictionary = { ...common.dictionary, ...en.dictionary };
const { password, words } = workerData as { password: string; words: string[] };
const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: common.adjacencyGraphs });
parentPort!.postMessage(zxcvbn.check(password, words).guesses);
