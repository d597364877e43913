// That of the installation to which the panel belongs.

export const VERSION = "0.1.0";
