//! The `transform` of COSEM, brought into the order of N5.

use serde_json::Value;

use crate::n5::multiscale::error::MultiscaleError;
use crate::n5::multiscale::members::{self, Place};

/// The name of the member.
pub(super) const TRANSFORM: &str = "transform";

/// A `transform`, all lists in the order of N5.
#[derive(Debug, PartialEq)]
pub(super) struct Transform {
    pub(super) axes: Option<Vec<String>>,
    pub(super) scale: Vec<f64>,
    pub(super) translate: Option<Vec<f64>>,
    pub(super) units: Vec<String>,
    /// What does not fit together.
    pub(super) doubts: Vec<String>,
}

impl Transform {
    pub(super) fn read(
        value: &Value,
        path: &str,
        dimensionality: usize,
    ) -> Result<Self, MultiscaleError> {
        let place = Place {
            path,
            member: TRANSFORM,
        };
        let Some(object) = value.as_object() else {
            return Err(place.refuse(
                value,
                "an object with the members `axes`, `scale`, `translate`, `units`",
            ));
        };
        let Some(scale) = members::member(object, "scale") else {
            return Err(place.refuse(value, "an object with the member `scale`"));
        };
        let mut scale = members::positive(scale, place)?;
        let mut translate = members::member(object, "translate")
            .map(|translate| members::numbers(translate, place))
            .transpose()?;
        let mut axes = members::member(object, "axes").and_then(members::texts);
        let mut units = members::member(object, "units")
            .and_then(members::texts)
            .unwrap_or_default();
        let fits = |len: usize| len == dimensionality;
        if !fits(scale.len()) || !translate.as_ref().is_none_or(|list| fits(list.len())) {
            return Err(place.refuse(value, "one entry of `scale` and `translate` per dimension"));
        }
        axes = axes.filter(|axes| fits(axes.len()));
        let mut doubts = Vec::new();
        if !units.is_empty() && !fits(units.len()) {
            doubts.push(format!(
                "`units` has {} entries for {dimensionality} dimensions: not used",
                units.len()
            ));
            units.clear();
        }
        let order = members::text(object, "order").or_else(|| members::text(object, "ordering"));
        let arrangement = Arrangement::of(axes.as_deref(), order.as_deref(), &mut doubts);
        arrangement.apply(&mut scale);
        arrangement.apply(&mut units);
        if let Some(translate) = &mut translate {
            arrangement.apply(translate);
        }
        if let Some(axes) = &mut axes {
            arrangement.apply(axes);
        }
        Ok(Self {
            axes,
            scale,
            translate,
            units,
            doubts,
        })
    }
}

/// How the lists of a `transform` come into the order of N5.
enum Arrangement {
    AsIs,
    Backwards,
    /// The place of x, y and z.
    ByName([usize; 3]),
}

impl Arrangement {
    /// The names decide; where they do not tell, `order` does.
    fn of(axes: Option<&[String]>, order: Option<&str>, doubts: &mut Vec<String>) -> Self {
        let place = |name: &str| {
            axes.unwrap_or_default()
                .iter()
                .position(|axis| axis.eq_ignore_ascii_case(name))
        };
        let places = ["x", "y", "z"].map(place);
        let known: Vec<usize> = places.iter().flatten().copied().collect();
        let pairs = || known.iter().zip(known.iter().skip(1));
        let is_fortran = order.is_some_and(|order| order.eq_ignore_ascii_case("F"));
        if known.len() >= 2 && pairs().all(|(one, next)| one < next) {
            if order.is_some_and(|order| order.eq_ignore_ascii_case("C")) {
                doubts.push(
                    "`order` is \"C\", but the axes begin with x: the names decide".to_owned(),
                );
            }
            return Self::AsIs;
        }
        if known.len() >= 2 && pairs().all(|(one, next)| one > next) {
            if is_fortran {
                doubts
                    .push("`order` is \"F\", but the axes end with x: the names decide".to_owned());
            }
            return Self::Backwards;
        }
        if let ([Some(x), Some(y), Some(z)], Some(3)) = (places, axes.map(<[_]>::len)) {
            doubts.push("the axes are in no usual order: each is taken by its name".to_owned());
            return Self::ByName([x, y, z]);
        }
        let way = if is_fortran {
            "forwards, as `order` \"F\" says"
        } else {
            "backwards, as in C order"
        };
        doubts.push(format!(
            "the names of the axes do not tell their order: taken {way}"
        ));
        if is_fortran {
            Self::AsIs
        } else {
            Self::Backwards
        }
    }

    fn apply<T: Clone>(&self, values: &mut Vec<T>) {
        match self {
            Self::AsIs => {}
            Self::Backwards => values.reverse(),
            Self::ByName(places) => {
                *values = places
                    .iter()
                    .filter_map(|&place| values.get(place).cloned())
                    .collect();
            }
        }
    }
}
