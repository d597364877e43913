// How much is kept, and how long is waited.

export const limits = {
  queueCalls: 2_000,
  queueBytes: 64 * 1024 * 1024,
  lingerMilliseconds: 250,
  answerMilliseconds: 10_000,
  firstPauseMilliseconds: 500,
  longestPauseMilliseconds: 30_000,
  /** The end of a program waits so long at most for what is to be sent. */
  exitMilliseconds: 5_000,
};
