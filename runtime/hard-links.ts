/** With these codes a file system says that it has no hard links: exFAT, SMB and some of FUSE. */
export const WITHOUT_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
