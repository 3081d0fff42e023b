import Bytes
import GraphIR

/// An attribute of an operator.
package struct AttributeDefinition: Sendable {
  /// The type of its value.
  package enum ValueType: String, Sendable {
    case integer, real, boolean, string, integers, reals, strings
  }

  /// A value of a string attribute, and its meaning.
  package struct Choice: Sendable {
    package let value: String
    package let meaning: String
  }

  /// The name in files.
  package let name: String
  /// The type of its value.
  package let type: ValueType
  /// The meaning of the attribute.
  package let meaning: String
  /// The constraints on its value.
  package let constraints: [Constraint]
  /// The possible values of a string attribute; empty if they are not a fixed list.
  package let choices: [Choice]
  /// Whether its value is the kind of an activation, whose own attributes follow with the prefix
  /// `name.`.
  package let namesActivation: Bool
  /// When the attribute is present.
  package let presence: Presence
  /// The concept that explains it, if any.
  package private(set) var concept: Concept?
}

/// A constraint on an attribute's value. For a list it applies to each entry, unless it is about
/// the list as a whole.
package enum Constraint: Sendable, Hashable {
  case atLeast(Double)
  case above(Double)
  case atMost(Double)
  /// At least, greater than, or at most another attribute's value.
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
  /// The number of entries of another list, plus a constant.
  case countOf(String, plus: Int)
  /// Strictly increasing: each entry is larger than the previous one.
  case strictlyIncreasing
  /// Non-decreasing: no entry is smaller than the previous one.
  case nonDecreasing
  /// No two entries are the same.
  case unique
  /// The entries are the numbers from 0 to one less than their count, in any order.
  case permutation
  /// This entry occurs at most once.
  case atMostOnce(Int)
  /// A rule in words, which is not checked here.
  case rule(String)

  /// The same number of entries as another list.
  package static func countOf(_ name: String) -> Constraint { .countOf(name, plus: 0) }

  /// The largest size of a window, a stride and similar attributes.
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

  /// The same definition with the concept that explains it.
  func explained(by concept: Concept) -> AttributeDefinition {
    var result = self
    result.concept = concept
    return result
  }
}
