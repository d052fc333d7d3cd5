import { isAppError } from '../../../runtime/errors.ts';
import { HttpError } from '../../server/errors/http-error.ts';
import { AnonymousHeader, renderDocument } from './layout.tsx';

export interface Failure {
  readonly status: number;
  readonly title: string;
  readonly help: string;
}

const GONE: Failure = {
  status: 404,
  title: 'There is no such page',
  help: 'It may have been removed, or you may not have access. If you followed a link, ask the person who gave it to you.',
};
const UNAVAILABLE: Failure = {
  status: 503,
  title: 'Temporarily unavailable',
  help: 'The service cannot read or write its data at the moment. Nothing was changed; try again in a minute.',
};
const NOT_SET_UP: Failure = {
  status: 503,
  title: 'Not configured',
  help: 'The service lacks a required setting, which its log names. Nothing was changed. Send the operator the id of this request.',
};
const DEFECT: Failure = {
  status: 500,
  title: 'Something went wrong',
  help: 'This is an error on our side, and it was logged. Send the operator the id of this request.',
};
const FOREIGN_FORM: Failure = {
  status: 403,
  title: 'This form is too old',
  help: 'It was open for a long time, or you have signed in again since. Nothing was changed. Go back, reload the page and send it again.',
};

/** Thrown by the plugin that checks form tokens. */
function isForeignForm(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('FST_CSRF_');
}

/** The error's own status, or Fastify's, for example of a body that is too large. */
function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  if (isAppError(error, 'usage')) return 422;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : DEFECT.status;
}

/** The public side of an error; the log has the error itself. */
export function failureFrom(error: unknown): Failure {
  if (isAppError(error, 'not_found')) return GONE;
  if (isAppError(error, 'unavailable') || isAppError(error, 'store_unavailable')) return UNAVAILABLE;
  if (isAppError(error, 'configuration')) return NOT_SET_UP;
  if (isForeignForm(error)) return FOREIGN_FORM;
  const status = statusOf(error);
  if (status === 404) return GONE;
  if (status === 503) return UNAVAILABLE;
  if (status >= 500 || !(error instanceof Error)) return DEFECT;
  return { status, title: 'That did not work', help: error.message };
}

export interface FailureProps {
  readonly failure: Failure;
  readonly requestId: string;
  readonly root: string;
  readonly version: string;
}

export function renderFailure({ failure, requestId, root, version }: FailureProps): string {
  const children = (
    <div class="narrow">
      <h1>{failure.title}</h1>
      <p>{failure.help}</p>
      <p>
        <a href={root}>Go to the console</a>
      </p>
      <p class="hint">{`Request ${requestId}`}</p>
    </div>
  );
  return renderDocument({ title: failure.title, root, version, header: <AnonymousHeader root={root} />, children });
}
