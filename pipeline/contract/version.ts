/**
 * Version of the contract: of operations, parameters, errors and the shape of answers. It goes by semantic versioning as a
 * client sees it: the first number for what breaks one (a field gone, renamed or of another meaning, a parameter that must
 * be given), the second for what is added, the third for what is only said better. It is neither the code's version (in
 * package.json) nor the data's (`model_version`); the `/v1` of every path is its first number.
 */
export const CONTRACT_VERSION = '1.5.0';
