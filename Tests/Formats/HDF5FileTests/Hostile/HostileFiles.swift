/// Intact files that are changed in one place, and what the reader says of each. Those without a path
/// cannot be opened.
enum HostileFiles {}
