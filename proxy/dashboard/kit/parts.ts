/** Parts that several pages share. */
import type { Sample } from '../../../pipeline/contract/samples.ts';
import { type Html, type HtmlValue, html } from '../../../pipeline/lib/pages/html.ts';
import type { Fields } from './visit.ts';

/** A form that posts to `action`, with the session's CSRF token. */
export function postForm(csrf: string, action: string, body: HtmlValue): Html {
  return html`<form method="post" action="${action}" novalidate><input type="hidden" name="csrf" value="${csrf}">${body}</form>`;
}

/** A search form that uses GET, so that results can be bookmarked and shared. */
export function searchForm(action: string, label: string, searchText: string): Html {
  return html`<form method="get" action="${action}" role="search">${inputField({ label, name: 'q', value: searchText, optional: true })}${button('Search', 'plain')}</form>`;
}

export interface InputField {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'date' | 'number';
  value?: string | undefined;
  hint?: HtmlValue;
  error?: string | false | undefined;
  autocomplete?: string;
  inputmode?: 'numeric' | 'text';
  optional?: boolean;
  /** The minimum, for dates and numbers. */
  min?: string;
}

/** A labelled input; screen readers read its hint and error out with it. */
export function inputField({
  label,
  name,
  type = 'text',
  value,
  hint,
  error,
  autocomplete,
  inputmode,
  optional,
  min,
}: InputField): Html {
  const descriptionIds = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  return html`<div class="field${error && ' wrong'}">
    <label for="${name}">${label}${optional && html` <span class="soft">(optional)</span>`}</label>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error && html`<p class="error" id="${name}-error">${error}</p>`}
    <input id="${name}" name="${name}" type="${type}" value="${value ?? ''}"${
      descriptionIds !== '' && html` aria-describedby="${descriptionIds}"`
    }${error && html` aria-invalid="true"`}${autocomplete && html` autocomplete="${autocomplete}"`}${
      inputmode && html` inputmode="${inputmode}"`
    }${
      min && html` min="${min}"`
    }${!optional && html` required`}${type === 'email' && html` spellcheck="false" autocapitalize="none"`}>
  </div>`;
}

export interface Choice {
  value: string;
  label: HtmlValue;
  hint?: HtmlValue;
}

export interface ChoiceField {
  kind: 'radio' | 'checkbox';
  name: string;
  legend: string;
  options: readonly Choice[];
  chosen: readonly string[];
  error?: string | false | undefined;
}

/** Radio buttons or checkboxes under one question. */
export function choiceField({ kind, name, legend, options, chosen, error }: ChoiceField): Html {
  return html`<fieldset class="field${error && ' wrong'}"${error && html` aria-describedby="${name}-error"`}>
    <legend>${legend}</legend>
    ${error && html`<p class="error" id="${name}-error">${error}</p>`}
    ${options.map(
      ({ value, label, hint }) => html`<div class="option">
      <input type="${kind}" id="${name}-${value}" name="${name}" value="${value}"${chosen.includes(value) && html` checked`}${
        hint && html` aria-describedby="${name}-${value}-hint"`
      }>
      <label for="${name}-${value}">${label}</label>
      ${hint && html`<div class="hint" id="${name}-${value}-hint">${hint}</div>`}
    </div>`,
    )}
  </fieldset>`;
}

export function button(label: string, variant: 'main' | 'plain' | 'danger' = 'main'): Html {
  return html`<button type="submit" class="button ${variant}">${label}</button>`;
}

export function linkButton(href: string, label: string, variant: 'main' | 'plain' = 'main'): Html {
  return html`<a class="button ${variant}" href="${href}">${label}</a>`;
}

/** A message about what went wrong, at the top of a page. */
export function problemNotice(title: string, body?: HtmlValue): Html {
  return html`<div class="notice bad" role="alert"><h2>${title}</h2>${body && html`<p>${body}</p>`}</div>`;
}

export function notice(title: string, body?: HtmlValue, variant: 'good' | 'calm' = 'good'): Html {
  return html`<div class="notice ${variant}" role="status"><h2>${title}</h2>${body && html`<p>${body}</p>`}</div>`;
}

/** The result of the form sent last: the entry of `messages` that the address names, if any. */
export function doneNotice(query: Fields, messages: Readonly<Record<string, string>>): HtmlValue {
  const result = query.text('done');
  return Object.hasOwn(messages, result) && notice(messages[result]!);
}

const NUMBER_FORMAT = new Intl.NumberFormat('en');

export const formatNumber = (value: number) => NUMBER_FORMAT.format(value);

/** A time in UTC to the minute; `textIfNull` if it is null. */
export function timeElement(ms: number | null, textIfNull = 'never'): Html {
  if (ms === null) return html`<span class="soft">${textIfNull}</span>`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} <span class="soft">${iso.slice(11, 16)} UTC</span></time>`;
}

/** A badge that shows a state. */
export function badge(text: string, variant: 'good' | 'bad' | 'calm'): Html {
  return html`<span class="mark ${variant}">${text}</span>`;
}

/** A list of terms and values. */
export function factList(facts: readonly (readonly [string, HtmlValue] | false | null)[]): Html {
  return html`<dl class="facts">${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`)}</dl>`;
}

/** A text with a button that copies it, if scripts run. */
export function copyBlock(id: string, label: string, text: string): Html {
  return html`<div class="field"><span class="label" id="${id}-label">${label}</span>
    <div class="copy"><code id="${id}" tabindex="0" role="group" aria-labelledby="${id}-label">${text}</code>
    <button type="button" class="button plain" data-copy="${id}" aria-describedby="${id}-label" hidden>Copy</button></div></div>`;
}

/** The samples, of which the browser keeps one open at a time. */
export const sampleBlocks = (samples: readonly Sample[]): Html =>
  html`${samples.map(
    ({ language, text }, i) =>
      html`<details name="language"${i === 0 && html` open`}><summary>${language}</summary>${copyBlock(`sample-${language.toLowerCase()}`, language, text)}</details>`,
  )}`;
