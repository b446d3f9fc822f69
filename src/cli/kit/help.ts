// How the help of commands is written.
import { Help, type Command, type HelpConfiguration, type Option } from 'commander';

/** The heading of the settings in the help, after the options of the command itself. */
export const SETTINGS_GROUP = 'Settings, also from the environment and millrace.yaml:';

/** An option that can be repeated has an empty list by default, which its description explains or need not mention. */
function describeOption(option: Option): string {
  return new Help().optionDescription(option).replace(' (default: [])', '');
}

/** Returns the groups of options with those of the command itself first. */
function settingsLast<T extends Command | Option>(
  all: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> {
  const groups = new Help().groupItems(all, visible, groupOf);
  const settings = groups.get(SETTINGS_GROUP);
  if (settings === undefined) return groups;
  groups.delete(SETTINGS_GROUP);
  return groups.set(SETTINGS_GROUP, settings);
}

export const HELP: HelpConfiguration = {
  optionDescription: describeOption,
  groupItems: settingsLast,
  subcommandTerm: (command) => command.name(),
};
