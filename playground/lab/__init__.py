"""The mathematics behind the Lab: small distributions, exactly."""
