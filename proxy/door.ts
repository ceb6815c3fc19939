/** Where every request comes in: key, then limits, then outcome, then bytes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { KeyKind } from './accounts/key-format.ts';
import type { Holder } from './accounts/key-reader.ts';
import type { UsageCounter } from './accounts/usage.ts';
import { type Awaitable, andThen, type Clock, type Moment, momentOf } from './clock.ts';
import { corsLines, isPreflight, preflightReply, varyOf } from './cors.ts';
import { dateLines, headerLines, writeHead } from './head.ts';
import { presentedKey } from './keys/credentials.ts';
import type { Gate } from './limits/gate.ts';
import { limitLines } from './limits/limit-headers.ts';
import type { Verdict } from './limits/limiter.ts';
import { remember } from './memory.ts';
import type { Metrics } from './metrics.ts';
import { judge, locate } from './operations.ts';
import { fileReply, problemReply, type Reply } from './replies.ts';
import { newRequestId } from './request-id.ts';
import type { SnapshotSource } from './snapshot/watch.ts';
import { sparing } from './sparing.ts';
import type { Door, Handler, Round } from './transport.ts';
import { lineOf } from './usage-error.ts';

/** One answered request, as the access log has it: nothing of what the client wrote but the operation it met. */
export interface AccessRecord {
  request_id: string;
  operation: string;
  status: number;
  /** Which key, by the id that `keys list` shows; null where none was valid. */
  key_id: string | null;
  key_kind: KeyKind | 'none';
  ms: number;
}

export interface DoorOptions {
  gate: Gate;
  snapshots: SnapshotSource;
  metrics: Metrics;
  usage: UsageCounter;
  clock: Clock;
  corsOrigins: ReadonlySet<string>;
  /** How long a connection may be idle, which clients are told. */
  idleMs: number;
  /** Called with every answered request; null: no access log. */
  log: ((record: AccessRecord) => void) | null;
  /** Called with one line when the proxy itself fails. */
  report: (line: string) => void;
}

interface Ready {
  response: ServerResponse;
  body: Reply['body'];
}

interface Answer {
  reply: Reply;
  operation: string;
  holder: Holder | null;
  verdict: Verdict | null;
}

/** Where every request fails, on a full disk say, the log is told of one a second and how many others there were. */
const FAILURE_MS = 1000;

/** Targets whose place is remembered: every file of a country, in a spelling or two. */
const PLACES_REMEMBERED = 20_000;

/**
 * The door of every request. One runs to its end at once where the gate answers at once, as the embedded one
 * does: a promise or two a request would cost as much as checking the key does.
 */
export function openDoor(options: DoorOptions): Door {
  const { gate, snapshots, metrics, usage, clock, corsOrigins, idleMs, log, report } = options;
  const keepAlive = headerLines('connection', 'keep-alive', 'keep-alive', `timeout=${Math.floor(idleMs / 1000)}`);
  const always = headerLines('vary', varyOf(corsOrigins), 'x-content-type-options', 'nosniff');
  const dateOf = dateLines();
  let date = '';
  const reportFailure = sparing(report, clock, FAILURE_MS);
  let opened: Moment;
  /** Whose heads are written and whose bytes are not sent yet. */
  let ready: Ready[] = [];
  let snapshot = snapshots.current();
  const placesOf = ({ coverage }: typeof snapshot) => remember(PLACES_REMEMBERED, (target) => locate(target, coverage));
  let placeOf = placesOf(snapshot);

  const answer = (request: IncomingMessage, id: string): Awaitable<Answer> => {
    if (isPreflight(request, corsOrigins)) return withoutHolder(preflightReply());
    const key = presentedKey(request.rawHeaders);
    const found = key === null ? null : gate.admit(key, opened);
    return andThen(found, (admitted) => {
      if (!admitted) return withoutHolder(problemReply('INVALID_KEY', id));
      if ('retrySeconds' in admitted) {
        return withoutHolder(problemReply('SERVICE_UNAVAILABLE', id, admitted.retrySeconds));
      }
      return answerHolder(request, id, admitted.holder, admitted.verdict);
    });
  };

  const answerHolder = (request: IncomingMessage, id: string, holder: Holder, verdict: Verdict): Awaitable<Answer> => {
    if (snapshot !== snapshots.current()) {
      snapshot = snapshots.current();
      placeOf = placesOf(snapshot);
    }
    const method = request.method!;
    const outcome = judge(placeOf(request.url!), method, holder.scopes);
    const operation = outcome.operation?.id ?? 'none';
    if (verdict.refusedBy !== null) {
      const reply = problemReply(verdict.refusedBy === 'month' ? 'ALLOWANCE_EXHAUSTED' : 'RATE_LIMITED', id);
      return { reply, operation, holder, verdict };
    }
    if (outcome.error !== undefined) return { reply: problemReply(outcome.error, id), operation, holder, verdict };
    const { headers } = request;
    const acceptEncoding = headers['accept-encoding'] as string | undefined;
    const form = { method, acceptEncoding, ifNoneMatch: headers['if-none-match'] };
    return andThen(fileReply(snapshot.files.get(outcome.file)!, form), (reply) => ({
      reply,
      operation,
      holder,
      verdict,
    }));
  };

  const prepare = (request: IncomingMessage, response: ServerResponse, id: string, started: number, found: Answer) => {
    const { reply, operation, holder, verdict } = found;
    const { status, body } = reply;
    const kind = holder?.kind ?? 'none';
    metrics.count(operation, status, kind);
    if (holder) usage.count(holder.keyId, operation, status === 429, opened.wallMs);
    if (log) {
      const ms = Math.round((clock.steadyMs() - started) * 1000) / 1000;
      log({ request_id: id, operation, status, key_id: holder?.keyId ?? null, key_kind: kind, ms });
    }
    let lines = `${reply.lines}${always}x-request-id: ${id}\r\n`;
    if (verdict) lines += limitLines(verdict);
    if (corsOrigins.size > 0) lines += corsLines(request.headers.origin, corsOrigins);
    writeHead(response, status, lines + date, keepAlive);
    ready.push({ response, body });
  };

  const sendReady = () => {
    const round = ready;
    ready = [];
    for (const { response, body } of round) sendBody(response, body);
  };

  /** Answers that had to wait for something go out together too, where they got it together. */
  let isSendingLater = false;
  const sendLater = () => {
    if (isSendingLater) return;
    isSendingLater = true;
    setImmediate(() => {
      isSendingLater = false;
      sendReady();
    });
  };

  const answerOne: Handler = (request, response) => {
    const started = log ? clock.steadyMs() : 0;
    const id = newRequestId();
    const fail = (error: unknown) => {
      reportFailure(`request ${id} failed: ${lineOf(error)}`);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      prepare(request, response, id, started, withoutHolder(problemReply('INTERNAL_ERROR', id)));
    };
    const prepareThis = (found: Answer) => prepare(request, response, id, started, found);
    try {
      const answered = answer(request, id);
      if (answered instanceof Promise) answered.then(prepareThis).catch(fail).then(sendLater);
      else prepareThis(answered);
    } catch (error) {
      fail(error);
    }
  };

  const round: Round = { answer: answerOne, send: sendReady };
  return () => {
    opened = momentOf(clock);
    date = dateOf(opened.wallMs);
    return round;
  };
}

function sendBody(response: ServerResponse, body: Reply['body']): void {
  if (body instanceof Readable) stream(body, response);
  else if (typeof body === 'string') response.end(body, 'latin1');
  else response.end(body);
}

/** Sends `body`, unless the client has left while the file was opened. */
function stream(body: Readable, response: ServerResponse): void {
  if (response.destroyed) body.destroy();
  else pipeline(body, response, () => {});
}

function withoutHolder(reply: Reply): Answer {
  return { reply, operation: 'none', holder: null, verdict: null };
}
