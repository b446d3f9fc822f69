// All detectors, in the order they run: what is longer and surer first, e-mail last, since other finds may be a part of it.
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

/** What is looked for where an endpoint file does not say. */
export const DEFAULT_DETECTORS: readonly DetectorName[] = ['ip', 'email'];

/** The detectors of these names, in the order they run. */
export function chooseDetectors(names: readonly DetectorName[]): readonly Detector[] {
  const isChosen = ({ name }: { readonly name: DetectorName }) => names.includes(name);
  return [...joinWordDetectors(WORD_DETECTORS.filter(isChosen)), ...DETECTORS.filter(isChosen)];
}
