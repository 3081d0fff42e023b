import Bytes
import GraphIR

/// An attribute of an operator.
package struct AttributeDefinition: Sendable {
  /// The type of its value.
  package enum ValueType: String, Sendable {
    case integer, real, boolean, string, integers, reals, strings
  }

  /// A value of a string attribute, and what it means.
  package struct Choice: Sendable {
    package let value: String
    package let meaning: String
  }

  /// The name in files.
  package let name: String
  /// The type of its value.
  package let type: ValueType
  /// What it says.
  package let meaning: String
  /// What its value must fulfil.
  package let constraints: [Constraint]
  /// The possible values of a string attribute; empty when they are no list.
  package let choices: [Choice]
  /// Whether the operator it names has attributes of its own here, under `name.`.
  package let namesActivation: Bool
  /// Whether it is there.
  package let presence: Presence
  /// Where it is explained, if it is.
  package private(set) var notion: Notion?
}

/// What an attribute's value must fulfil; in a list each entry, unless it is about the list.
package enum Constraint: Sendable, Hashable {
  case atLeast(Double)
  case above(Double)
  case atMost(Double)
  /// Not below, above or not above another attribute's value.
  case atLeastThat(of: String)
  case aboveThat(of: String)
  case atMostThat(of: String)
  /// Neither NaN nor an infinity.
  case finite
  case notNaN
  case notZero
  /// The number of entries.
  case minimumCount(Int)
  case maximumCount(Int)
  /// As many entries as another list has, and so many more.
  case countOf(String, plus: Int)
  /// Each entry larger than the one before it.
  case rising
  /// No entry smaller than the one before it.
  case notFalling
  /// No two entries are equal.
  case unique
  /// Each number from 0 to one less than the count, once.
  case permutation
  /// This entry stands once at most.
  case atMostOnce(Int)
  /// In words.
  case rule(String)

  /// As many entries as another list has.
  package static func countOf(_ name: String) -> Constraint { .countOf(name, plus: 0) }

  /// The largest size of a window, a stride and the like.
  package static let sizeLimit = Constraint.atMost(Double(1 << 24))
}

extension AttributeDefinition {
  /// Defines an attribute.
  init(
    _ name: String, _ type: ValueType, _ meaning: String, _ constraints: [Constraint] = [],
    choices: [Choice] = [], namesActivation: Bool = false, presence: Presence = .always
  ) {
    self.name = name
    self.type = type
    self.meaning = meaning
    self.constraints = constraints
    self.choices = choices
    self.namesActivation = namesActivation
    self.presence = presence
  }

  /// With the notion that explains it.
  func explained(by notion: Notion) -> AttributeDefinition {
    var result = self
    result.notion = notion
    return result
  }
}
