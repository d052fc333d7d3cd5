import type { ComponentChildren, JSX } from 'preact';
import { type SentForm, textOf, textsOf } from './response.ts';

/** A form that changes something; works without scripts. `token` proves that it is ours. */
export function Form({ action, token, children, className }: FormProps): JSX.Element {
  return (
    <form method="post" action={action} class={className ?? 'form'}>
      <input type="hidden" name="_csrf" value={token} />
      {children}
    </form>
  );
}

export interface FormProps {
  readonly action: string;
  readonly token: string;
  readonly className?: string;
  readonly children?: ComponentChildren;
}

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'number' | 'date';
  readonly hint?: string;
  /** The sent form, whose value and problem it shows. */
  readonly of: SentForm;
  readonly required?: boolean;
  /** Default: the type's limit, if any. */
  readonly maxlength?: number;
  /** Of a number; default: whole numbers only. */
  readonly step?: 'any';
  readonly autocomplete?: string;
  /** To distinguish fields of the same name on a page. */
  readonly id?: string;
}

/** Default limits in characters. */
const LENGTHS_MAX: Readonly<Record<string, number>> = { email: 254, url: 2048 };

export function Field(props: FieldProps): JSX.Element {
  const { of, label, name, type = 'text', hint, required = true, autocomplete, id = `field-${name}` } = props;
  const { maxlength = LENGTHS_MAX[type], step } = props;
  const problem = of.problems?.[name];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <FieldHint id={id} hint={hint} />
      <input
        id={id}
        name={name}
        type={type as 'text'} // Its types distinguish inputs by `type` for their roles, which are not set here.
        value={type === 'password' ? undefined : textOf(of.form, name)}
        required={required}
        maxlength={maxlength}
        step={step}
        autocomplete={autocomplete}
        {...describedBy(id, { hint, problem })}
      />
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}

export interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen?: string | undefined;
  readonly hint?: string;
  readonly problem?: string | undefined;
  /** To distinguish several on a page. */
  readonly id?: string;
}

export function Choice(props: ChoiceProps): JSX.Element {
  const { label, name, options, chosen, hint, problem, id = `field-${name}` } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <FieldHint id={id} hint={hint} />
      <select id={id} name={name} {...describedBy(id, { hint, problem })}>
        {options.map(({ value, label: text }) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
      <FieldProblem id={id} problem={problem} />
    </div>
  );
}

export interface ChecksProps {
  readonly legend: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly of: SentForm;
}

export function Checks({ legend, name, options, of }: ChecksProps): JSX.Element {
  const chosen = textsOf(of.form, name);
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <label class="check">
          <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} /> <span>{label}</span>
        </label>
      ))}
      <FieldProblem id={`field-${name}`} problem={of.problems?.[name]} />
    </fieldset>
  );
}

interface Described {
  readonly hint: string | undefined;
  readonly problem: string | undefined;
}

/** Attributes of an input. */
function describedBy(id: string, { hint, problem }: Described) {
  const described = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`];
  return {
    'aria-describedby': described.join(' ').trim() || undefined,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
  };
}

function FieldHint({ id, hint }: { readonly id: string; readonly hint: string | undefined }): JSX.Element | null {
  if (hint === undefined) return null;
  return (
    <p class="hint" id={`${id}-hint`}>
      {hint}
    </p>
  );
}

interface FieldProblemProps {
  readonly id: string;
  readonly problem: string | undefined;
}

function FieldProblem({ id, problem }: FieldProblemProps): JSX.Element | null {
  if (problem === undefined) return null;
  return (
    <p class="problem" id={`${id}-problem`}>
      {problem}
    </p>
  );
}

/** That a form was not accepted, and problems without a field. */
export function Problems({ of: { problems } }: { readonly of: SentForm }): JSX.Element | null {
  if (problems === undefined) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{problems[''] ?? 'A field below is missing or invalid.'}</p>
    </div>
  );
}

/** An action that needs a second click, without a script. */
export function Confirmed({ label, question, action, token, fields = {}, confirm }: ConfirmedProps): JSX.Element {
  return (
    <details class="confirm">
      <summary class="button quiet">{label}</summary>
      <Form action={action} token={token} className="confirm-form">
        <p>{question}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="danger">
          {confirm ?? label}
        </button>
      </Form>
    </details>
  );
}

export interface ConfirmedProps {
  readonly label: string;
  readonly question: string;
  readonly action: string;
  readonly token: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Text of the second button; default: `label`. */
  readonly confirm?: string;
}
