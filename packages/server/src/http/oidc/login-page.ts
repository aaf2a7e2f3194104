import { hash } from 'node:crypto'
import { escapeHtml } from '@countersign/core'
import type { RouteResponse } from '../pipeline/route.ts'

/** The look of the console's login page, in one style sheet that the page contains. */
const STYLE = `
:root{color-scheme:light dark;--back:#fff;--card:#fff;--text:#000;--soft:#59626b;--line:#ced4da;--main:#1971c2;--on-main:#fff;--bad:#b71c1c;--bad-back:#fff5f5;--note-back:#fff9db;--note:#6f4700}
@media (prefers-color-scheme:dark){:root{--back:#242424;--card:#242424;--text:#c9c9c9;--soft:#adb5bd;--line:#424242;--main:#1971c2;--bad:#ffc9c9;--bad-back:#4a2020;--note-back:#40391c;--note:#ffec99}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--back);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{width:100%;max-width:400px;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:8px;box-shadow:0 1px 3px rgb(0 0 0/10%)}
header{text-align:center;margin-bottom:16px}
h1{margin:4px 0;font-size:22px;font-weight:650;line-height:1.35}
p{margin:0 0 12px;font-size:14px;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.bad{padding:10px 14px;border-radius:8px;background:var(--bad-back);color:var(--bad)}
.note{padding:10px 14px;border-radius:8px;background:var(--note-back);color:var(--note);font-size:14px;margin:0 0 12px}
.note ul{display:grid;grid-template-columns:repeat(3,1fr);gap:4px;list-style:none;margin:8px 0 0;padding:0;font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
label{display:block;font-size:14px;font-weight:500;margin:0 0 12px}
input,textarea{display:block;width:100%;min-height:36px;margin-top:2px;padding:6px 12px;border:1px solid var(--line);border-radius:8px;background:transparent;color:inherit;font:inherit;font-size:14px}
textarea{min-height:96px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
button{width:100%;min-height:36px;padding:0 18px;border:0;border-radius:8px;background:var(--main);color:var(--on-main);font:inherit;font-size:14px;font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid var(--main);outline-offset:2px}
img.qr{display:block;width:200px;height:200px;margin:0 auto 12px;image-rendering:pixelated;background:#fff}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
a{color:inherit}
`
const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`
const MARK =
  '<svg width="44" height="44" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1c5fb8"/><path d="M9 16.5l5 5 9.5-11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>'
const HTML = 'text/html; charset=utf-8'

/** The login that a page belongs to. */
export interface PageLogin {
  readonly id: string
  /** Browsers also apply the page's rule for forms to the redirects after them. */
  readonly redirectUri: string
}

interface Page {
  readonly title: string
  readonly about?: string
  readonly body: string
  readonly refusal?: string | undefined
  readonly login?: PageLogin | undefined
  readonly status?: number
}

/** A page of the login. It loads nothing, and only its own forms can be sent. */
function page({ title, about = '', body, refusal, login, status = 200 }: Page): RouteResponse {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Countersign</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>${MARK}<h1>${escapeHtml(title)}</h1>${about && `<p class="soft">${escapeHtml(about)}</p>`}</header>
${refusal === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(refusal)}</p>`}
${body}
</main>
</body>
</html>
`
  const forms = ["'self'", ...(login ? [formSource(login.redirectUri)] : [])].join(' ')
  return {
    status,
    headers: {
      'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE}; img-src data:; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
      // Its own forms need the header `Origin`, which `no-referrer` would empty.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      ...(login && { 'auth-request-id': login.id }),
    },
    ...(refusal !== undefined && { isRefusal: true }),
    bytes: { content: Buffer.from(html), type: HTML },
  }
}

/** The source expression of a redirect URI for a content security policy: its origin, or the scheme of an app. */
function formSource(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return origin === 'null' ? protocol : origin
}

function form(action: string, login: PageLogin, fields: string, button: string): string {
  return `<form method="post" action="/oidc/login/${action}">
<input type="hidden" name="id" value="${escapeHtml(login.id)}">
${fields}
<button type="submit">${escapeHtml(button)}</button>
</form>`
}

interface PageOptions {
  readonly refusal?: string | undefined
  readonly status?: number
}

export function passwordPage(login: PageLogin, options: PageOptions = {}): RouteResponse {
  const fields = `<label>User name<input name="username" autocomplete="username" autocapitalize="none" required autofocus></label>
<label>Password<input type="password" name="password" autocomplete="current-password" required></label>`
  return page({ title: 'Sign in', body: form('username', login, fields, 'Sign in'), login, ...options })
}

export function certificatePage(login: PageLogin, options: PageOptions = {}): RouteResponse {
  const about = '<p>Your browser sends the certificate that it was asked for when this page was opened.</p>'
  const body = form('cert', login, about, 'Sign in with the certificate')
  return page({ title: 'Sign in', body, login, ...options })
}

const TOKEN_FIELD =
  '<label>Token<textarea name="token" autocomplete="off" spellcheck="false" required></textarea></label>'

export function tokenPage(login: PageLogin, options: PageOptions = {}): RouteResponse {
  const about = '<p>Paste a token of your identity provider.</p>'
  return page({ title: 'Sign in', body: form('ext-jwt', login, about + TOKEN_FIELD, 'Sign in'), login, ...options })
}

interface StepOptions extends PageOptions {
  /** The name of the identity. */
  readonly name: string
}

const stepOf = ({ name, ...options }: StepOptions) => ({
  title: 'One more step',
  about: `Signing in as ${name}`,
  ...options,
})

export function codePage(login: PageLogin, options: StepOptions): RouteResponse {
  const field = `<label>One-time code<input name="code" autocomplete="one-time-code" maxlength="64" required autofocus></label>
<p class="soft">From your authenticator app, or one of your recovery codes.</p>`
  return page({ ...stepOf(options), body: form('totp', login, field, 'Continue'), login })
}

/** Asks before a secret is created, which the identity then needs at every login. */
export function beginCodesPage(login: PageLogin, options: StepOptions): RouteResponse {
  const about = '<p>Your policy requires one-time codes. Set them up with an authenticator app.</p>'
  return page({ ...stepOf(options), body: form('totp/enroll', login, about, 'Set up one-time codes'), login })
}

interface NewCodes extends StepOptions {
  readonly provisioningUrl: string
  readonly qrPicture: Buffer
  readonly recoveryCodes: readonly string[]
}

export function newCodesPage(
  login: PageLogin,
  { provisioningUrl, qrPicture, recoveryCodes, ...options }: NewCodes,
): RouteResponse {
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? ''
  const picture = `data:image/png;base64,${qrPicture.toString('base64')}`
  const codes = recoveryCodes.map((code) => `<li>${escapeHtml(code)}</li>`).join('')
  const fields = `<p>Scan this with an authenticator app:</p>
<img class="qr" src="${picture}" alt="QR code for an authenticator app">
<p>Or <a href="${escapeHtml(provisioningUrl)}">open the app on this device</a>, or type in this key: <code>${escapeHtml(secret)}</code></p>
<div class="note"><strong>Keep the recovery codes.</strong> Each replaces a code of the app once. They are not shown again.<ul aria-label="Recovery codes">${codes}</ul></div>
<label>One-time code<input name="code" autocomplete="one-time-code" inputmode="numeric" maxlength="64" required></label>`
  return page({ ...stepOf(options), body: form('totp/enroll/verify', login, fields, 'Continue'), login })
}

interface SecondToken extends StepOptions {
  readonly signer: { readonly name: string; readonly loginUrl: string | null } | undefined
}

/** Asks for the token that the policy requires beside the first credential. */
export function secondTokenPage(login: PageLogin, { signer, ...options }: SecondToken): RouteResponse {
  const provider = signer ? `the identity provider “${escapeHtml(signer.name)}”` : 'an identity provider'
  const link =
    signer?.loginUrl && URL.canParse(signer.loginUrl) && new URL(signer.loginUrl).protocol === 'https:'
      ? ` You get one at <a href="${escapeHtml(signer.loginUrl)}" rel="noreferrer" target="_blank">${escapeHtml(new URL(signer.loginUrl).host)}</a>.`
      : ''
  const about = `<p>Your policy also requires a token of ${provider}.${link}</p>`
  return page({ ...stepOf(options), body: form('second-jwt', login, about + TOKEN_FIELD, 'Continue'), login })
}

/** Shown when a login cannot go on. */
export function endPage(status: number, text: string): RouteResponse {
  const body = `<p>${escapeHtml(text)}</p>\n<p>Start again in the application in which you wanted to sign in.</p>`
  return { ...page({ title: 'Sign-in not possible', body, status }), isRefusal: true }
}
