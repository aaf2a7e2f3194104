import { AUTHENTICATORS } from '../../resources/kinds.ts'
import { createOwnedList, createOwnedShow, createReissue, createRevoke } from './owned-commands.ts'

/** `countersign authenticators …` */
export const authenticators = {
  list: createOwnedList(AUTHENTICATORS),
  show: createOwnedShow(AUTHENTICATORS),
  reset: createReissue(AUTHENTICATORS, {
    verb: 'reset',
    done: 'reset',
    effect: 'The password or certificate stops working, its sessions end, and a one-time token replaces it.',
    asks: true,
    issue: ({ authenticators: all }, id, expiresAt) => all.reEnroll(id, expiresAt),
  }),
  revoke: createRevoke(AUTHENTICATORS, 'Logins with it are refused, and its sessions end.'),
}
