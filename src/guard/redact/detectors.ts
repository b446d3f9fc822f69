// All detectors in execution order: longer and more certain matches first, e-mail last, since others may be part of one.
import type { Detector, DetectorName, WordDetector } from './detector.ts';
import { apiKeyDetector } from './detectors/api-key.ts';
import { cardDetector } from './detectors/card.ts';
import { emailDetector } from './detectors/email.ts';
import { ibanDetector } from './detectors/iban.ts';
import { ipDetector } from './detectors/ip.ts';
import { phoneDetector } from './detectors/phone.ts';
import { tokenDetector } from './detectors/token.ts';
import { joinWordDetectors } from './word-scan.ts';

const WORD_DETECTORS: readonly WordDetector[] = [tokenDetector, apiKeyDetector, ibanDetector, cardDetector];
const DETECTORS: readonly Detector[] = [phoneDetector, ipDetector, emailDetector];

/** The names of all detectors, in execution order. */
export const DETECTOR_NAMES: readonly DetectorName[] = [...WORD_DETECTORS, ...DETECTORS].map(
  ({ name }) => name,
);

/** The detectors used if an endpoint file does not choose any. */
export const DEFAULT_DETECTORS: readonly DetectorName[] = ['ip', 'email'];

/** The detectors with these names, in execution order. */
export function chooseDetectors(names: readonly DetectorName[]): readonly Detector[] {
  const isChosen = ({ name }: { readonly name: DetectorName }) => names.includes(name);
  return [...joinWordDetectors(WORD_DETECTORS.filter(isChosen)), ...DETECTORS.filter(isChosen)];
}
