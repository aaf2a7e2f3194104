/** Where a refused word stays. `in` is a pattern of paths, `text` one of the line; without `text` the whole file is exempt. */
export type Exemption = { word: string; in: RegExp; text?: RegExp; why: string }

const testFiles = /\.(?:test|fixture)\.ts$|\.script$/

export const exemptWords: Exemption[] = [
  { word: '*', in: /^tools\/check\/(?:words|commits)\//, why: 'the table of refused words, and tests of it' },
  { word: 'nobody', in: testFiles, text: /['"`/=]nobody\b(?! )/, why: 'a name in test data' },
  { word: 'somebody', in: testFiles, text: /['"`/=]somebody\b(?! )/, why: 'a name in test data' },
  { word: 'SignIn', in: /./, text: /\bsignedInBy\b/, why: 'a member of what `countersign whoami` prints' },
  { word: 'SignIn', in: /./, text: /\bsignInAudience\b/, why: 'a member of applications in Microsoft Graph' },
  { word: 'sign in', in: /^packages\/console\//, why: 'the console may say "Sign in"' },
  {
    word: 'sign in',
    in: /^packages\/server\/src\/http\/oidc\/login(?:-page)?\.ts$/,
    text: /['"`>]|Sign-in|sign in\./,
    why: 'login pages may say "Sign in"',
  },
  {
    word: 'sign in',
    in: /^e2e\/console\//,
    text: /['"`/](?:Sign|Signed|Signing) in\b|admin signed in by/,
    why: 'labels of the console',
  },
  { word: 'sign in', in: /^e2e\/console\//, text: /[`/]sign-in\b/, why: 'a path of the console' },
  { word: 'nobody', in: /^packages\/testkit\/src\/postgres-cluster\.ts$/, why: 'an account of Unix systems' },
  { word: 'sign in', in: /^(?:README|docs\/.*)\.md$/, text: /["“*`]Sign in\b/, why: 'labels of the console' },
]
